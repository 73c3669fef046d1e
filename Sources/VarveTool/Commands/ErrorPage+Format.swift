// Pages of the codes of FormatError.

private let findDamage =
  "run varve verify on the file for the extent of the damage; recovery from another replica or a "
  + "backup brings the data back."

extension ErrorPage {
  static let formatPages: [ErrorPage] = [
    ErrorPage(
      .notVarve, "the file does not start with a Varve header",
      cause: "another kind of file, an empty file, or text-mode conversion on the way here.",
      remedy: "check the path; copy the file again in binary mode."),
    ErrorPage(
      .badHeader, "the check over the file header does not match",
      cause: "the first bytes of the file were changed or never written completely.",
      remedy: findDamage),
    ErrorPage(
      .unknownVersion, "the file was written by a newer version",
      cause: "its major version or one of its required features is not known here.",
      remedy: "use a newer varve; varve --version prints what this one reads."),
    ErrorPage(
      .truncated, "the end came before a value was complete",
      cause: "the file was cut, or a crash interrupted its last write.",
      remedy: "a torn tail of the newest segment is harmless; elsewhere " + findDamage),
    ErrorPage(
      .badHeaderCheck, "the check over a frame's header does not match",
      cause: "the bytes at this offset were changed, or no frame starts here.", remedy: findDamage),
    ErrorPage(
      .badFrameHash, "the hash over a frame does not match",
      cause: "a disk, memory or copy error changed bytes of the frame.", remedy: findDamage),
    ErrorPage(
      .badLength, "a length, count or offset is beyond its limit",
      cause: "damaged bytes, or a file that was made to do harm.", remedy: findDamage),
    ErrorPage(
      .badPadding, "padding or a reserved field is not zero",
      cause: "damaged bytes, or a writer that does not follow the format.", remedy: findDamage),
    ErrorPage(
      .badCompression, "a compressed payload does not decode to its length",
      cause: "damaged bytes.", remedy: findDamage),
    ErrorPage(
      .unknownFrame, "a frame type from a newer version",
      cause: "a newer program wrote to this store.", remedy: "use a newer varve."),
    ErrorPage(
      .badSequence, "a sequence number does not continue",
      cause: "a frame or segment is missing or out of place.",
      remedy: "fetch the missing segment; varve verify names the gap."),
    ErrorPage(
      .badChain, "a chain value does not continue",
      cause: "history was replaced: two copies of a replica went on separately, or bytes changed.",
      remedy: "find the copy with the longer valid chain; varve verify prints both values."),
    ErrorPage(
      .badPart, "a part does not agree with its transaction", cause: "damaged bytes.",
      remedy: findDamage),
    ErrorPage(
      .badTransaction, "the fields of a transaction contradict each other",
      cause: "damaged bytes, or a writer that does not follow the format.", remedy: findDamage),
    ErrorPage(
      .badOperation, "an operation cannot be decoded",
      cause: "damaged bytes, or an operation of a newer version.", remedy: findDamage),
    ErrorPage(
      .badValue, "a value cannot be decoded", cause: "damaged bytes.", remedy: findDamage),
    ErrorPage(
      .badColumn, "a column block cannot be decoded", cause: "damaged bytes.", remedy: findDamage),
    ErrorPage(
      .badSeal, "a SEAL contradicts its segment",
      cause: "damaged bytes, or frames that were removed from a sealed segment.",
      remedy: findDamage),
    ErrorPage(
      .badDirectory, "the directory of a baseline contradicts its file",
      cause: "damaged bytes, or a writer that does not follow the format.",
      remedy: "an older baseline or the logs give the same state; " + findDamage),
    ErrorPage(
      .badTrailer, "a trailer does not match",
      cause: "the end of a sealed file was changed or cut.",
      remedy: findDamage),
    ErrorPage(
      .unreadable, "the bytes could not be read",
      cause: "the device or file system failed; this is no statement about the data itself.",
      remedy: "look at the system's log, then try again."),
    ErrorPage(
      .wrongFile, "a file of another store or replica, or under a name that contradicts it",
      cause: "files were mixed or renamed by hand.",
      remedy: "put the file back where its header says it belongs."),
  ]
}

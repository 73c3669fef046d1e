// Pages of the findings about stores and of the codes of LogError.

extension ErrorPage {
  static let logPages: [ErrorPage] = [
    ErrorPage(
      "tornTail", "a crash cut the last write short",
      cause: "the program or machine stopped while it wrote; nothing acknowledged is missing.",
      remedy: "nothing: the next write starts a new segment."),
    ErrorPage(
      "suspectTail", "the end of a segment cannot be read and does not look like a crash",
      cause: "a disk, memory or copy error; acknowledged transactions may be missing.",
      remedy: "take a copy of the store, then: varve recover STORE -o NEW."),
    ErrorPage(
      "corrupt", "committed data cannot be read",
      cause: "damaged bytes, or segments that contradict their neighbours or names.",
      remedy: "take a copy of the store, then: varve recover STORE -o NEW."),
    ErrorPage(
      "gap", "sequences or segments are missing",
      cause: "a file was removed or not copied, or a sync is in flight.",
      remedy: "bring the missing files back from a copy of the store."),
    ErrorPage(
      "historyRetired", "the beginning of a log is not kept any more",
      cause: "a compaction retired it, because the store keeps only its newest history.",
      remedy: "nothing: a baseline holds the state that it led to."),
    ErrorPage(
      "baselineMissing", "the superblock names a baseline that is not here",
      cause: "the file was removed, or a copy left it out.",
      remedy: "nothing: opening replays the logs; varve compact STORE writes a new one."),
    ErrorPage(
      "baselineState", "the baseline gives another state than the logs",
      cause: "a fault in the engine, or a baseline that was put there by hand.",
      remedy: "keep a copy for a bug report, remove the file, then: varve compact STORE."),
    ErrorPage(
      "superblock", "the superblock is missing or cannot be read in full",
      cause: "a crash while it was written, damaged bytes, or a copy without it.",
      remedy: "nothing: one valid slot is enough, and without one the segments tell the same."),
    ErrorPage(
      "foreignFile", "a file that does not belong where it is",
      cause: "files of another store or replica were mixed in, or something else was put there.",
      remedy: "move it to where its header says it belongs; it is ignored here."),
    ErrorPage(
      "unusedFile", "a file that an interrupted creation left over",
      cause: "a crash.",
      remedy: "nothing: it is ignored."),
    ErrorPage(
      "copied", "the store is a copy",
      cause: "its superblock names another file: the store was copied or restored.",
      remedy: "nothing: writing continues under a fresh replica."),
    ErrorPage(
      "unclean", "the store was not closed in order, or is open now",
      cause: "a crash, or a program that writes to it.",
      remedy: "nothing."),
    ErrorPage(
      "stampOrder", "a stamp is not above the one before it",
      cause: "a writer that does not follow the format.",
      remedy: "nothing: sequences order the log of a replica."),
    ErrorPage(
      "notAStore", "there is no store at this path",
      cause: "a wrong path, or a directory that holds other files.",
      remedy: "check the path."),
    ErrorPage(
      "exists", "something is at the path already",
      cause: "the name is taken.",
      remedy: "name a path where nothing is."),
    ErrorPage(
      "busy", "another program writes to the store",
      cause: "one writer at a time has the lock.",
      remedy: "close that program; reading commands work meanwhile."),
    ErrorPage(
      "disk", "the system refused a call",
      cause: "permissions, a failing device or a missing directory; the message has the reason.",
      remedy: "look at the message and the log of the system."),
    ErrorPage(
      "diskFull", "there is no space left",
      cause: "the disk or a quota is full.",
      remedy: "make room; what was acknowledged is safe."),
    ErrorPage(
      "tooNew", "a newer version wrote this",
      cause: "a major version or a frame that is not known here.",
      remedy: "use a newer varve; varve --version prints what this one reads."),
    ErrorPage(
      "tooLarge", "a transaction is too large",
      cause: "it is beyond the limits of the format.",
      remedy: "split it; varve import csv takes --batch."),
    ErrorPage(
      "poisoned", "an earlier failure stopped writing",
      cause: "a write or sync failed, and what is on the disk is not known.",
      remedy: "open the store again."),
    ErrorPage(
      "outcomeUnknown", "whether a commit is durable is not known",
      cause: "a sync failed while it was on its way.",
      remedy: "open the store again and look whether it is there."),
    ErrorPage(
      "closed", "the log is closed already",
      cause: "a call came after closing.",
      remedy: "open the store again."),
    ErrorPage(
      "remote", "the store is on a network or user-space file system",
      cause: "locks cannot be trusted there.",
      remedy: "keep stores on a local disk."),
  ]
}

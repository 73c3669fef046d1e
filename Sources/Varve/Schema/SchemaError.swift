// What is wrong with a declaration. Layer: Schema.

/// A declaration that contradicts itself, or one that contradicts the log.
public struct SchemaError: Error, Sendable, Hashable {
  /// The kind of contradiction.
  ///
  /// Cases may be added.
  public enum Code: String, Sendable, CaseIterable {
    /// A tag is 0, or neither below 65,536 nor inferred.
    case badTag
    /// A name is empty or too long.
    case badName
    /// Two things have one tag.
    case duplicateTag
    /// Two things have one name.
    case duplicateName
    /// A relationship names an entity that is not declared.
    case unknownEntity
    /// A key, index, group or way back names a property that is not declared.
    case unknownProperty
    /// Both ends of a relationship say different things.
    case badInverse
    /// A link that must not be nil would be made nil by its delete rule.
    case requiredNullify
    /// A default does not fit the attribute.
    case badDefault
    /// The key cannot be one.
    case badKey
    /// The index or group cannot be one.
    case badIndex
    /// The log has the tag with another type.
    case typeConflict
    /// The log has an attribute where a relationship is declared, another kind or form, or another
    /// target.
    case kindConflict
    /// The log names the objects of the entity in another way.
    case identityConflict
    /// The log has the name under another tag.
    case nameConflict
  }

  /// The kind of contradiction.
  public var code: Code
  /// What contradicts what, and what to do.
  public var message: String
  /// The tag of the entity.
  public var entity: UInt32
  /// The tag of the attribute, relationship or group; 0 for the entity itself.
  public var tag: UInt32

  package init(_ code: Code, entity: UInt32, tag: UInt32 = 0, _ message: String) {
    self.code = code
    self.message = message
    self.entity = entity
    self.tag = tag
  }
}

extension SchemaError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

/// A value that a declaration does not allow.
public struct SchemaViolation: Error, Sendable, Hashable {
  /// What is wrong with it.
  public enum Reason: String, Sendable, CaseIterable {
    /// There is none, and there has to be one.
    case missing
    /// It is of another type.
    case wrongType
    /// It does not fit the declared width, or is longer than the format allows.
    case outOfRange
    /// The attribute is no longer used.
    case retired
  }

  /// What is wrong with it.
  public var reason: Reason
  /// The name of the attribute.
  public var attribute: String
  /// The value and the rule.
  public var message: String

  package init(_ reason: Reason, attribute: String, _ message: String) {
    self.reason = reason
    self.attribute = attribute
    self.message = message
  }
}

extension SchemaViolation: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

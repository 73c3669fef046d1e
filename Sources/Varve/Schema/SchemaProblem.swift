// Declarations in the log that contradict each other, and how they are read. Layer: Schema.

/// A contradiction among declarations of the log, or a rule that cannot be kept.
///
/// Nothing in a log makes a schema unreadable: replicas may have declared, at the same time, what
/// does not fit together. Each kind says how it is read, which depends on the declarations alone.
package struct SchemaProblem: Hashable, Sendable {
  /// What kind of contradiction it is, with the reading that is taken.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Something belongs to an entity that nobody declared: the entity exists without a label.
    case missingEntity
    /// A relationship points at an entity that nobody declared: it keeps its values, which read
    /// nil.
    case missingTarget
    /// One tag has several types: each is a column, the earliest declared keeps the label.
    case severalTypes
    /// A tag is an attribute and a relationship: both exist, the earlier one has the tag's name.
    case attributeAndRelationship
    /// Two things that are not retired have one label: the label finds the earliest declared.
    case sameLabel
    /// The way back has the tag of an attribute: the tag means the attribute, the way back has no
    /// name.
    case inverseIsAttribute
    /// The tag of the way back is a relationship that does not point back here: it means that
    /// relationship.
    case inverseElsewhere
    /// Both ends of a many-to-many relationship are declared as stored: each has edges of its own.
    case inverseStoredTwice
    /// Two relationships have one way back: it lists the holders of the earliest declared.
    case sameInverse
    /// A relationship hides holders of the entity that it points at: in a cycle, the link written
    /// last reads nil (R25).
    case selfCascade
    /// Deleting the target of a link that must not be nil makes it nil: such objects are reported.
    case requiredNullify
    /// The objects are named by a key that is not declared, or have a key for names and are not
    /// named by it: the flag of the entity decides.
    case identityWithoutKey
    /// A key, group or index lists what is no attribute of the entity: the whole rule is kept, and
    /// has no effect for it.
    case missingAttribute
    /// An attribute is in two groups: it belongs to the one with the smallest tag.
    case twoGroups
    /// A default is not of the type of its attribute: a missing value reads nil.
    case wrongDefault
    /// An attribute is a counter, a set and a map at once: counter goes before set, set before map.
    case severalForms
  }

  package var kind: Kind
  package var entity: UInt32
  /// The attribute, relationship or group; 0 for the entity itself.
  package var tag: UInt32
  /// What contradicts what, with names.
  package var sentence: String

  package init(_ kind: Kind, entity: UInt32, tag: UInt32, _ sentence: String) {
    self.kind = kind
    self.entity = entity
    self.tag = tag
    self.sentence = sentence
  }
}

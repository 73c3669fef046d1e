// Stores on a simulated disk, with a schema that has every kind of property.
// Layer: test support.

import Varve
import VarveFormat

/// Builds stores for tests.
package enum StoreFixture {
  package static let path = "store"

  /// Projects with items in order, people who share projects, passports, notes with side registers.
  package static let schema = Schema(
    version: 1,
    entities: [
      Entity(
        "Project", tag: 1,
        attributes: [
          .string("name", tag: 1, default: ""), .date("deadline", tag: 2, isOptional: true),
        ]),
      Entity(
        "Item", tag: 2,
        attributes: [
          .string("title", tag: 1, default: "untitled"), .integer("priority", tag: 2, default: 0),
          .bool("isDone", tag: 3, default: false), .double("weight", tag: 4, isOptional: true),
        ],
        relationships: [
          .toOne(
            "project", tag: 5, to: "Project", inverse: "items", inverseTag: 6,
            onDelete: .cascade),
          .toOne("assignee", tag: 7, to: "Person", inverse: "tasks", inverseTag: 6),
        ]),
      Entity(
        "Person", tag: 3, attributes: [.string("name", tag: 1, default: "")],
        relationships: [
          .manyToMany("projects", tag: 2, to: "Project", inverse: "people", inverseTag: 7)
        ]),
    ])

  package static func create(
    _ disk: any Disk, schema: Schema? = schema, options: LogOptions = LogFixture.options(),
    clock: any Clock = ManualClock(), seed: UInt64 = 1
  ) throws -> Store {
    try Store.create(
      at: path, schema: schema, disk: disk, clock: clock, entropy: SeededEntropy(seed: seed),
      logOptions: options)
  }

  package static func open(
    _ disk: any Disk, schema: Schema? = schema, options: LogOptions = LogFixture.options(),
    clock: any Clock = ManualClock(), seed: UInt64 = 100
  ) throws -> Store {
    try Store.open(
      at: path, schema: schema, disk: disk, clock: clock, entropy: SeededEntropy(seed: seed),
      logOptions: options)
  }
}

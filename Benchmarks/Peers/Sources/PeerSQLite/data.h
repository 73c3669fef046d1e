// The tables that varve-bench hands over in a file.
#ifndef PEER_DATA_H
#define PEER_DATA_H

#include <stdint.h>

enum kind { KIND_INTEGER = 0, KIND_REAL = 1, KIND_TEXT = 2, KIND_LINK = 3 };

struct column {
  char *name;
  enum kind kind;
  // Words, the bits of reals, ids of linked rows (0: none); offsets of texts, one more than rows.
  int64_t *words;
  uint8_t *present;
  char *text;
};

struct table {
  char *name;
  int64_t rows;
  int column_count;
  struct column *columns;
};

struct data {
  int table_count;
  struct table *tables;
};

// Reads a file; ends the process when it cannot.
struct data read_data(const char *path);
void fail(const char *what, const char *why);

#endif

// Reads the tables that varve-bench hands over: counts and words of 64 bits, little-endian.
#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fail(const char *what, const char *why) {
  printf("error %s: %s\n", what, why);
  fflush(stdout);
  exit(1);
}

static void read_bytes(FILE *file, void *bytes, size_t count) {
  if (count > 0 && fread(bytes, 1, count, file) != count) fail("data", "the file is too short");
}

static int64_t read_word(FILE *file) {
  int64_t word;
  read_bytes(file, &word, sizeof word);
  return word;
}

static void *room(size_t count) {
  void *memory = calloc(count > 0 ? count : 1, 1);
  if (memory == NULL) fail("data", "no memory");
  return memory;
}

static char *read_name(FILE *file) {
  int64_t count = read_word(file);
  char *name = room((size_t)count + 1);
  read_bytes(file, name, (size_t)count);
  return name;
}

static struct column read_column(FILE *file, int64_t rows) {
  struct column column = {0};
  column.name = read_name(file);
  column.kind = (enum kind)read_word(file);
  int64_t words = rows + (column.kind == KIND_TEXT ? 1 : 0);
  column.words = room((size_t)words * 8);
  read_bytes(file, column.words, (size_t)words * 8);
  column.present = room((size_t)rows);
  read_bytes(file, column.present, (size_t)rows);
  if (column.kind == KIND_TEXT) {
    column.text = room((size_t)column.words[rows]);
    read_bytes(file, column.text, (size_t)column.words[rows]);
  }
  return column;
}

struct data read_data(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) fail("data", "the file cannot be opened");
  struct data data = {0};
  data.table_count = (int)read_word(file);
  data.tables = room(sizeof *data.tables * (size_t)data.table_count);
  for (int t = 0; t < data.table_count; t++) {
    struct table *table = &data.tables[t];
    table->name = read_name(file);
    table->rows = read_word(file);
    table->column_count = (int)read_word(file);
    table->columns = room(sizeof *table->columns * (size_t)table->column_count);
    for (int c = 0; c < table->column_count; c++) {
      table->columns[c] = read_column(file, table->rows);
    }
  }
  fclose(file);
  return data;
}

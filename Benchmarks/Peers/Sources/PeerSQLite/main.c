// SQLite on the flights graph, as fast as its C interface goes; driven line by line by varve-bench.
//
// Rows are found by INTEGER PRIMARY KEY (the rowid, the fastest key there is), links are columns
// with an index each, as an object store on SQLite makes them. WAL with synchronous=FULL, so that a
// commit is durable; the database to itself; memory mapped; a cache that holds everything; prepared
// statements, kept; no checkpoint inside of what is measured.
//
// Each answer is: seconds, processor seconds, a number to check.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "data.h"

static sqlite3 *database;
static struct data data;
static char path[4096];
static double started, started_cpu;

// MARK: time

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double now_cpu(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
    + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void start(void) {
  started_cpu = now_cpu();
  started = now();
}

static double seconds, seconds_cpu;

static void stop(void) {
  seconds = now() - started;
  seconds_cpu = now_cpu() - started_cpu;
}

static void answer(int64_t check) {
  printf("%.9f %.9f %lld\n", seconds, seconds_cpu, (long long)check);
  fflush(stdout);
}

// Random numbers as varve-bench makes them.
static uint64_t random_state;

static uint64_t random_next(void) {
  uint64_t z = (random_state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// MARK: SQLite

static void execute(const char *sql) {
  char *message = NULL;
  if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK) fail(sql, message);
}

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
  if (code != SQLITE_OK) fail(sql, sqlite3_errmsg(database));
  return statement;
}

static void run(sqlite3_stmt *statement) {
  if (sqlite3_step(statement) != SQLITE_DONE) fail("step", sqlite3_errmsg(database));
  sqlite3_reset(statement);
}

static void open_database(void) {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path, &database, flags, NULL) != SQLITE_OK) fail("open", path);
  execute("PRAGMA locking_mode=EXCLUSIVE");
  execute("PRAGMA journal_mode=WAL");
  execute("PRAGMA synchronous=FULL");
  execute("PRAGMA mmap_size=1073741824");
  execute("PRAGMA cache_size=-524288");
  execute("PRAGMA temp_store=MEMORY");
  execute("PRAGMA wal_autocheckpoint=0");
}

static void close_database(void) {
  if (sqlite3_close(database) != SQLITE_OK) fail("close", sqlite3_errmsg(database));
  database = NULL;
}

static int64_t number(const char *sql) {
  sqlite3_stmt *statement = prepare(sql);
  if (sqlite3_step(statement) != SQLITE_ROW) fail(sql, sqlite3_errmsg(database));
  int64_t value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return value;
}

// MARK: import

static void create_table(const struct table *table) {
  static const char *types[] = {"INTEGER", "REAL", "TEXT", "INTEGER"};
  char sql[8192];
  int used = snprintf(sql, sizeof sql, "CREATE TABLE %s (id INTEGER PRIMARY KEY", table->name);
  for (int c = 0; c < table->column_count; c++) {
    used += snprintf(
      sql + used, sizeof sql - (size_t)used, ", \"%s\" %s", table->columns[c].name,
      types[table->columns[c].kind]);
  }
  snprintf(sql + used, sizeof sql - (size_t)used, ")");
  execute(sql);
}

static void bind(sqlite3_stmt *statement, int place, const struct column *column, int64_t row) {
  if (!column->present[row]) {
    sqlite3_bind_null(statement, place);
    return;
  }
  switch (column->kind) {
  case KIND_INTEGER:
  case KIND_LINK: sqlite3_bind_int64(statement, place, column->words[row]); break;
  case KIND_REAL: {
    double value;
    memcpy(&value, &column->words[row], sizeof value);
    sqlite3_bind_double(statement, place, value);
    break;
  }
  case KIND_TEXT: {
    int64_t first = column->words[row];
    int count = (int)(column->words[row + 1] - first);
    sqlite3_bind_text(statement, place, column->text + first, count, SQLITE_STATIC);
    break;
  }
  }
}

static void insert_rows(const struct table *table) {
  char sql[8192];
  int used = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?1", table->name);
  for (int c = 0; c < table->column_count; c++) {
    used += snprintf(sql + used, sizeof sql - (size_t)used, ",?%d", c + 2);
  }
  snprintf(sql + used, sizeof sql - (size_t)used, ")");
  sqlite3_stmt *statement = prepare(sql);
  for (int64_t row = 0; row < table->rows; row++) {
    sqlite3_bind_int64(statement, 1, row + 1);
    for (int c = 0; c < table->column_count; c++) {
      bind(statement, c + 2, &table->columns[c], row);
    }
    run(statement);
  }
  sqlite3_finalize(statement);
}

// Indexes are made behind the rows, which is faster than keeping them up to date.
static void create_indexes(const struct table *table) {
  char sql[512];
  for (int c = 0; c < table->column_count; c++) {
    if (table->columns[c].kind != KIND_LINK) continue;
    const char *name = table->columns[c].name;
    snprintf(
      sql, sizeof sql, "CREATE INDEX %s_%s ON %s (\"%s\")", table->name, name, table->name, name);
    execute(sql);
  }
}

static void import(void) {
  char name[4200];
  static const char *endings[] = {"", "-wal", "-shm"};
  for (int i = 0; i < 3; i++) {
    snprintf(name, sizeof name, "%s%s", path, endings[i]);
    unlink(name);
  }
  open_database();
  start();
  execute("BEGIN IMMEDIATE");
  int64_t rows = 0;
  for (int t = 0; t < data.table_count; t++) {
    create_table(&data.tables[t]);
    insert_rows(&data.tables[t]);
    create_indexes(&data.tables[t]);
    rows += data.tables[t].rows;
  }
  execute("COMMIT");
  stop();
  execute("PRAGMA wal_checkpoint(TRUNCATE)");
  execute("ANALYZE");
  execute("PRAGMA wal_checkpoint(TRUNCATE)");
  close_database();
  answer(rows);
}

static void size(void) {
  struct stat status;
  if (stat(path, &status) != 0) fail("size", path);
  seconds = seconds_cpu = 0;
  answer(status.st_size);
}

// MARK: opening

static int64_t distance(int64_t row) {
  sqlite3_stmt *statement = prepare("SELECT distance FROM Flight WHERE id = ?1");
  sqlite3_bind_int64(statement, 1, row);
  if (sqlite3_step(statement) != SQLITE_ROW) fail("lookup", sqlite3_errmsg(database));
  int64_t value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return value;
}

static void open_lookup(int64_t row) {
  start();
  open_database();
  int64_t value = distance(row);
  stop();
  close_database();
  answer(value);
}

// The ids are summed up with their places, so that a wrong order is found.
static void open_fetch(void) {
  start();
  open_database();
  sqlite3_stmt *statement = prepare(
    "SELECT id FROM Flight WHERE airline = (SELECT id FROM Airline WHERE carrier = 'UA')"
    " AND dep_delay > 60 ORDER BY distance, id");
  int64_t sum = 0, place = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    place += 1;
    sum += place * sqlite3_column_int64(statement, 0);
  }
  sqlite3_finalize(statement);
  stop();
  close_database();
  answer(sum);
}

static void open_all(void) {
  start();
  open_database();
  int64_t cells = 0, sum = 0;
  for (int t = 0; t < data.table_count; t++) {
    char sql[256];
    snprintf(sql, sizeof sql, "SELECT * FROM %s", data.tables[t].name);
    sqlite3_stmt *statement = prepare(sql);
    int columns = sqlite3_column_count(statement);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      for (int c = 1; c < columns; c++) {
        switch (sqlite3_column_type(statement, c)) {
        case SQLITE_INTEGER: sum += sqlite3_column_int64(statement, c); break;
        case SQLITE_FLOAT: sum += (int64_t)sqlite3_column_double(statement, c); break;
        case SQLITE_TEXT:
          sum += sqlite3_column_text(statement, c)[0] + sqlite3_column_bytes(statement, c);
          break;
        default: continue;
        }
        cells += 1;
      }
    }
    sqlite3_finalize(statement);
  }
  stop();
  close_database();
  if (sum == 0) fail("all", "nothing was read");
  answer(cells);
}

// MARK: reading

static int64_t flights(void) { return number("SELECT max(id) FROM Flight"); }

static void lookups(int64_t count, uint64_t seed, const char *sql) {
  open_database();
  int64_t rows = flights();
  int64_t *ids = malloc(sizeof *ids * (size_t)count);
  random_state = seed;
  for (int64_t i = 0; i < count; i++) ids[i] = (int64_t)(random_next() % (uint64_t)rows) + 1;
  number("SELECT sum(distance + airline + plane) FROM Flight");
  sqlite3_stmt *statement = prepare(sql);
  int64_t sum = 0;
  start();
  for (int64_t i = 0; i < count; i++) {
    sqlite3_bind_int64(statement, 1, ids[i]);
    if (sqlite3_step(statement) == SQLITE_ROW) sum += sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
  }
  stop();
  sqlite3_finalize(statement);
  free(ids);
  close_database();
  answer(sum);
}

static void to_many(void) {
  open_database();
  int64_t planes = number("SELECT max(id) FROM Plane");
  number("SELECT sum(plane) FROM Flight");
  sqlite3_stmt *statement = prepare("SELECT id FROM Flight WHERE plane = ?1");
  int64_t members = 0;
  start();
  for (int64_t plane = 1; plane <= planes; plane++) {
    sqlite3_bind_int64(statement, 1, plane);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      members += sqlite3_column_int64(statement, 0) > 0;
    }
    sqlite3_reset(statement);
  }
  stop();
  sqlite3_finalize(statement);
  close_database();
  answer(members);
}

// MARK: writing

static void update(int64_t transactions, int64_t size, uint64_t seed) {
  open_database();
  int64_t rows = flights();
  random_state = seed;
  number("SELECT sum(distance) FROM Flight");
  sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE");
  sqlite3_stmt *commit = prepare("COMMIT");
  sqlite3_stmt *statement = prepare("UPDATE Flight SET distance = ?2 WHERE id = ?1");
  start();
  for (int64_t transaction = 0; transaction < transactions; transaction++) {
    run(begin);
    for (int64_t i = 0; i < size; i++) {
      sqlite3_bind_int64(statement, 1, (int64_t)(random_next() % (uint64_t)rows) + 1);
      sqlite3_bind_int64(statement, 2, i % 3000);
      run(statement);
    }
    run(commit);
  }
  stop();
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  sqlite3_finalize(statement);
  execute("PRAGMA wal_checkpoint(TRUNCATE)");
  close_database();
  answer(transactions * size);
}

// Every tenth plane, its flights unlinked first; `durable` or not.
static void delete_planes(int durable) {
  open_database();
  if (!durable) execute("PRAGMA synchronous=OFF");
  int64_t planes = number("SELECT max(id) FROM Plane");
  number("SELECT sum(plane) FROM Flight");
  sqlite3_stmt *unlink_flights = prepare("UPDATE Flight SET plane = NULL WHERE plane = ?1");
  sqlite3_stmt *delete_plane = prepare("DELETE FROM Plane WHERE id = ?1");
  int64_t changed = 0;
  start();
  execute("BEGIN IMMEDIATE");
  for (int64_t plane = 1; plane <= planes; plane += 10) {
    sqlite3_bind_int64(unlink_flights, 1, plane);
    run(unlink_flights);
    changed += sqlite3_changes64(database);
    sqlite3_bind_int64(delete_plane, 1, plane);
    run(delete_plane);
  }
  execute("COMMIT");
  stop();
  sqlite3_finalize(unlink_flights);
  sqlite3_finalize(delete_plane);
  execute("PRAGMA wal_checkpoint(TRUNCATE)");
  close_database();
  answer(changed);
}

// MARK: lines

static void dispatch(const char *line) {
  char word[64] = "";
  long long a = 0, b = 0, c = 0;
  sscanf(line, "%63s %lld %lld %lld", word, &a, &b, &c);
  if (strcmp(word, "version") == 0) {
    printf("SQLite %s\n", sqlite3_libversion());
    fflush(stdout);
  } else if (strcmp(word, "import") == 0) {
    import();
  } else if (strcmp(word, "size") == 0) {
    size();
  } else if (strcmp(word, "open-lookup") == 0) {
    open_lookup(a);
  } else if (strcmp(word, "open-fetch") == 0) {
    open_fetch();
  } else if (strcmp(word, "open-all") == 0) {
    open_all();
  } else if (strcmp(word, "lookup") == 0) {
    lookups(a, (uint64_t)b, "SELECT distance FROM Flight WHERE id = ?1");
  } else if (strcmp(word, "to-one") == 0) {
    lookups(
      a, (uint64_t)b,
      "SELECT p.seats FROM Flight f JOIN Plane p ON p.id = f.plane WHERE f.id = ?1");
  } else if (strcmp(word, "to-many") == 0) {
    to_many();
  } else if (strcmp(word, "update") == 0) {
    update(a, b, (uint64_t)c);
  } else if (strcmp(word, "delete-planes") == 0) {
    delete_planes(a != 0);
  } else {
    fail("unknown command", word);
  }
}

int main(int count, char **arguments) {
  if (count != 3) fail("usage", "peer-sqlite DATA DATABASE");
  data = read_data(arguments[1]);
  snprintf(path, sizeof path, "%s", arguments[2]);
  char line[256];
  while (fgets(line, sizeof line, stdin) != NULL) dispatch(line);
  return 0;
}

// The header of SQLite, from the package libsqlite3-dev.
#include <sqlite3.h>

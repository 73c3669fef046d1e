// replaced by tests

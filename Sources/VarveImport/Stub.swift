// stub to be replaced

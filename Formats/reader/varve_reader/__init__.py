"""Independent decoder of the Varve file formats, written from the documents in `Formats/` alone."""

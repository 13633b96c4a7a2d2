package chat

// StoreTrouble is why the database cannot be used, for the people who run it.
type StoreTrouble struct {
	Problem, Fix string
	Err          error // with ErrAway or ErrStorageFull
}

func (e *StoreTrouble) Error() string { return e.Problem + "; " + e.Fix + ": " + e.Err.Error() }

func (e *StoreTrouble) Unwrap() error { return e.Err }

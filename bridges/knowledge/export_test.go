package knowledge

// IsTrap and UsualAddress are what the crawler makes of an address.
func IsTrap(address string) bool {
	u, _ := parseAddress(address)
	return isTrap(u)
}

func UsualAddress(address string) string {
	u, _ := parseAddress(address)
	return u.String()
}

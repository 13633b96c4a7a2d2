package server

// frontDoorRoutes are for agents of visitors, with the public key of a site in their address.
func (c *community) frontDoorRoutes() []route {
	agents := rules{filtered: true, access: c.agent, rate: c.rates.requests, body: maxBody}
	reading := rules{filtered: true, access: c.agent, rate: c.rates.requests}
	return []route{
		{"POST", frontDoorPath + "{key}", agents, c.frontDoor.answer},
		{"GET", frontDoorPath + "{key}/llms.txt", reading, c.frontDoor.describe},
	}
}

package main

import (
	"debug/buildinfo"
	"errors"
	"os"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// bill writes the bill of materials of a program, in the form of CycloneDX: what the
// linker says that is in it, not what a manifest says.
func (r release) bill(t target, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	components := []cdx.Component{{Type: cdx.ComponentTypeLibrary, BOMRef: "std", Name: "std", Version: strings.TrimPrefix(info.GoVersion, "go"),
		PackageURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}}
	for _, m := range info.Deps {
		purl := "pkg:golang/" + m.Path + "@" + m.Version
		components = append(components, cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: purl, Name: m.Path, Version: m.Version, PackageURL: purl,
			Properties: &[]cdx.Property{{Name: "go:sum", Value: m.Sum}}})
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Timestamp: r.date.Format(time.RFC3339), Component: &cdx.Component{Type: cdx.ComponentTypeApplication, BOMRef: "relay",
		Name: "relay", Version: r.version, PackageURL: "pkg:golang/" + info.Main.Path + "@v" + r.version,
		Properties: &[]cdx.Property{{Name: "target", Value: t.name}}}}
	bom.Components = &components
	out, err := os.Create(r.file(r.base(t) + ".cdx.json"))
	if err != nil {
		return err
	}
	return errors.Join(cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom), out.Close())
}

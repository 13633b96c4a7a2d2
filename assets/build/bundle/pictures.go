package bundle

import (
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
	_ "golang.org/x/image/webp" // the size of WebP images
)

// pictureLink is a picture of a guide, as it works in a clone. The one for dark screens has
// -dark behind its name.
var pictureLink = regexp.MustCompile(`^pictures/([a-z-]+)\.webp$`)

// pictureScale is how many pixels of a file are one of the page; server/e2e makes them so.
const pictureScale = 1.5

// checkPicture notes at a picture of a guide how large it is shown.
func checkPicture(root string, n *ast.Image, source []byte) error {
	m := pictureLink.FindSubmatch(n.Destination)
	if m == nil {
		return fmt.Errorf("the picture %q is not of pictures", n.Destination)
	}
	if textOf(n, source) == "" {
		return fmt.Errorf("the picture %q has no alternative text", n.Destination)
	}
	light, err1 := pictureSize(root, string(m[1]))
	dark, err2 := pictureSize(root, string(m[1])+"-dark")
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if light != dark {
		return fmt.Errorf("the picture %q has another size in the dark: run make pictures", n.Destination)
	}
	n.SetAttributeString("width", strconv.Itoa(int(float64(light.X)/pictureScale)))
	n.SetAttributeString("height", strconv.Itoa(int(float64(light.Y)/pictureScale)))
	return nil
}

func pictureSize(root, name string) (image.Point, error) {
	file, err := os.Open(filepath.Join(root, "guides", "pictures", name+".webp"))
	if err != nil {
		return image.Point{}, err
	}
	defer file.Close()
	config, _, err := image.DecodeConfig(file)
	if err != nil {
		return image.Point{}, fmt.Errorf("%s: %w", file.Name(), err)
	}
	return image.Pt(config.Width, config.Height), nil
}

// pictures renders a picture of a guide in the colours that the reader's screen has.
type pictures struct{}

// RegisterFuncs implements [renderer.NodeRenderer].
func (pictures) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindImage, func(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		n := node.(*ast.Image)
		m := pictureLink.FindSubmatch(n.Destination)
		if !entering || m == nil {
			return ast.WalkSkipChildren, nil
		}
		width, _ := n.AttributeString("width")
		height, _ := n.AttributeString("height")
		_, err := fmt.Fprintf(w, `<picture><source srcset="/static/%[1]s-dark.webp" media="(prefers-color-scheme: dark)">`+
			`<img src="/static/%[1]s.webp" alt="%[2]s" width="%[3]s" height="%[4]s" loading="lazy"></picture>`,
			m[1], util.EscapeHTML([]byte(textOf(n, source))), width, height)
		return ast.WalkSkipChildren, err
	})
}

package main

import (
	"archive/tar"
	"bytes"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Image is what differs from one image to the other.
type Image struct {
	Entrypoint  []string          `json:"entrypoint"`
	Environment []string          `json:"environment"`
	Files       map[string]string `json:"files"` // paths of this machine by those in the image, instead of the stub agent and its names
}

const (
	program   = "usr/local/bin/agent"
	authority = "etc/ssl/certs/ca-certificates.crt"
)

// environment is that of all images. Go would trust every file of /etc/ssl/certs beside the bundle that it is told of; agents trust that alone.
var environment = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "SSL_CERT_DIR=/nowhere"}

// links are the names of the program in an image. They are relative: an image can be a volume below another directory.
var links = map[string]string{
	"usr/local/bin/python": "agent",
	"bin/sh":               "../" + program,
	"bin/test":             "../" + program,
	"bin/task":             "../" + program,
	"bin/pause":            "../" + program,
	"bin/sleep":            "../" + program,
	"bin/dns":              "../" + program,
	"exec-loop":            program,
}

// serveImages is every registry: it has the same images whatever host it is taken for.
func serveImages(configuration Configuration, public *Authority) {
	listener, err := net.Listen("tcp", configuration.Registry)
	check(err)
	go func() { check(http.Serve(listener, registry.New(registry.Logger(log.New(io.Discard, "", 0))))) }()
	stub := layerOf(map[string]string{program: configuration.Agent}, links, public)
	for reference, image := range configuration.Images {
		layer := stub
		if image.Files != nil {
			layer = layerOf(image.Files, nil, public)
		}
		target, err := name.ParseReference(configuration.Registry+"/"+reference, name.Insecure)
		check(err)
		check(remote.Write(target, assembled(layer, image)))
	}
}

func assembled(layer v1.Layer, wanted Image) v1.Image {
	image, err := mutate.AppendLayers(empty.Image, layer)
	check(err)
	content, err := image.ConfigFile()
	check(err)
	content = content.DeepCopy()
	content.OS, content.Architecture = "linux", runtime.GOARCH
	content.Config.Entrypoint = wanted.Entrypoint
	content.Config.Env = append(slices.Clone(environment), wanted.Environment...)
	image, err = mutate.ConfigFile(image, content)
	check(err)
	return image
}

func layerOf(files, links map[string]string, public *Authority) v1.Layer {
	archive := bytes.Buffer{}
	writer := tar.NewWriter(&archive)
	add := func(path string, mode int64, content []byte) {
		check(writer.WriteHeader(&tar.Header{Name: path, Mode: mode, Size: int64(len(content)), Typeflag: tar.TypeReg}))
		_, err := writer.Write(content)
		check(err)
	}
	for path, source := range files {
		content, err := os.ReadFile(source)
		check(err)
		add(path, 0o755, content)
	}
	add(authority, 0o644, []byte(public.PEM()))
	for link, target := range links {
		check(writer.WriteHeader(&tar.Header{Name: link, Linkname: target, Mode: 0o777, Typeflag: tar.TypeSymlink}))
	}
	check(writer.WriteHeader(&tar.Header{Name: "tmp/", Mode: 0o1777, Typeflag: tar.TypeDir}))
	check(writer.Close())
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil })
	check(err)
	return layer
}

package cache

import (
	"math"

	"github.com/klauspost/compress/zstd"
)

// planes is the number of bytes of a float32: bytes of equal weight stand together.
const planes = 4

var (
	encoder = must(zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false),
		zstd.WithSingleSegment(true)))
	// The limits say once more what the header has promised: decoding fails where the
	// capacity of the destination ends, and no window is larger than a frame.
	decoder = must(zstd.NewReader(nil,
		zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxFrame), zstd.WithDecoderMaxWindow(maxFrame),
		zstd.WithDecodeAllCapLimit(true)))
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// pack gives the bytes of rows of one width by weight: the three lower planes as they
// are, for they do not shrink, then that of sign and exponent, compressed.
func pack(rows [][]float32, width int) []byte {
	n := len(rows) * width
	dst := make([]byte, (planes-1)*n, planes*n)
	p0, p1, p2, p3 := dst[:n], dst[n:2*n], dst[2*n:], make([]byte, n)
	for i, row := range rows {
		from, to := i*width, (i+1)*width
		p0, p1, p2, p3 := p0[from:to], p1[from:to], p2[from:to], p3[from:to]
		for d, x := range row {
			b := math.Float32bits(x)
			p0[d], p1[d], p2[d], p3[d] = byte(b), byte(b>>8), byte(b>>16), byte(b>>24)
		}
	}
	return encoder.EncodeAll(p3, dst)
}

// unpack gives the planes of a packed frame whose decoded size is known: it never holds
// more than that, whatever src claims.
func unpack(src []byte, size int) ([]byte, error) {
	stored := size / planes * (planes - 1)
	if len(src) < stored {
		return nil, errDamaged
	}
	raw := append(make([]byte, 0, size), src[:stored]...)
	raw, err := decoder.DecodeAll(src[stored:], raw)
	if err != nil || len(raw) != size {
		return nil, errDamaged
	}
	return raw, nil
}

// row gives a copy of one row of decoded planes.
func row(raw []byte, i, width int) []float32 {
	n := len(raw) / planes
	from, to := i*width, (i+1)*width
	p0, p1, p2, p3 := raw[from:to], raw[n+from:n+to], raw[2*n+from:2*n+to], raw[3*n+from:3*n+to]
	v := make([]float32, width)
	for d := range v {
		v[d] = math.Float32frombits(uint32(p0[d]) | uint32(p1[d])<<8 | uint32(p2[d])<<16 | uint32(p3[d])<<24)
	}
	return v
}

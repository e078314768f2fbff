// Smooth normals of a surface.

/** Sum of the normals of the triangles around each corner, each as long as its triangle is large. */
export function normals(p: Float32Array, faces: Uint32Array, to: Float32Array): void {
  to.fill(0);
  for (let f = 0; f < faces.length; f += 3) {
    const a = 3 * faces[f], b = 3 * faces[f + 1], c = 3 * faces[f + 2];
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    to[a] += x; to[a + 1] += y; to[a + 2] += z;
    to[b] += x; to[b + 1] += y; to[b + 2] += z;
    to[c] += x; to[c + 1] += y; to[c + 2] += z;
  }
  for (let k = 0; k < to.length; k += 3) {
    const length = Math.hypot(to[k], to[k + 1], to[k + 2]) || 1;
    to[k] /= length; to[k + 1] /= length; to[k + 2] /= length;
  }
}

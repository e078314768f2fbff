// The page is built into the package, with addresses relative to it, so that it works under any path.
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  build: { outDir: "../src/gelenk/view/page", emptyOutDir: true, chunkSizeWarningLimit: 1500, modulePreload: false },
});

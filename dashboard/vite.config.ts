import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The API serves what is made here at `/`; `npm run dev` serves it by itself, and asks the API on port 3000. */
export default defineConfig({
  plugins: [react()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: false,
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      output: {
        // What several pages need comes in one file: sixty small ones are sixty questions, and pack worse.
        codeSplitting: { groups: [{ name: 'shared', minShareCount: 3 }] },
      },
    },
  },
  server: { proxy: { '/api': 'http://localhost:3000' } },
})

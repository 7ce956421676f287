import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Builds the dashboard, which the API serves at `/`. `npm run dev` serves it with hot reload and forwards requests to the API on port 3000. */
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
        // One chunk for what many pages share: small files need many requests and compress worse.
        codeSplitting: { groups: [{ name: 'shared', minShareCount: 6 }] },
      },
    },
  },
  server: { proxy: { '/api': 'http://localhost:3000' } },
})

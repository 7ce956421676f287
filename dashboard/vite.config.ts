import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { checkStyles } from './check-styles.ts'

/** Modules of forms, which pages without a form need not load. */
const FORM =
  /@mantine\/form|klona|fast-deep-equal|primitives\/(ApiForm|use-api-form)|UnsavedChanges|lib\/(field-errors|has-invalid-field)/
const FIELDS =
  /components\/(Select|Combobox|MultiSelect|TagsInput|Pill|PillsInput|PasswordInput|Radio|Textarea)\/|components\/conditions|EmailPreview|SendTestButton|liquid-problem|web-images|safe-html|ContactSelect|Searchable|IntegerInput/

/** Builds the dashboard, which the API serves at `/`. `npm run dev` serves it with hot reload and forwards requests to the API on port 3000. */
export default defineConfig({
  plugins: [react(), checkStyles()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: false,
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      output: {
        // One chunk for what many pages share: small files need many requests and compress worse.
        // What only forms and tables need is a chunk of its own, which the first page does without.
        codeSplitting: {
          groups: [
            {
              name: 'shared',
              test: (id) => ![FORM, FIELDS].some((part) => part.test(id)),
              minShareCount: 8,
              priority: 1,
            },
            { name: 'form', test: FORM, minShareCount: 6 },
            { name: 'fields', test: FIELDS, minShareCount: 6 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': 'http://localhost:3000' } },
})

/** `npm run bundle -- FILE`: builds the workflow code once, for workers that are started with WORKFLOW_BUNDLE=FILE. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { bundleWorkflows } from '../src/temporal/worker.ts'
import { readOptions } from './options.ts'

const { words } = readOptions({
  call: 'npm run bundle -- [FILE]',
  what: 'builds the workflow code into FILE, or dist/workflows.js, for WORKFLOW_BUNDLE.',
  options: {},
  words: true,
})
const file = resolve(words[0] ?? 'dist/workflows.js')
const { code } = await bundleWorkflows()
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, code)
process.stdout.write(`Workflow code: ${file}\n`)

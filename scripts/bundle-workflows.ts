/** `npm run bundle -- FILE`: builds the workflow code once, for workers that are started with WORKFLOW_BUNDLE=FILE. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { bundleWorkflows } from '../src/temporal/worker.ts'

const file = resolve(process.argv[2] ?? 'dist/workflows.js')
const { code } = await bundleWorkflows()
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, code)
process.stdout.write(`The workflow code: in ${file}\n`)

/**
 * `npm run busy-folder -- FOLDER`: creates a data folder in the middle of work, and a description of the expected results. See
 * test/bin/busy-folders.system.test.ts. `--of CHECKOUT` uses another version of the product.
 */
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { makeBusyFolder } from './make.ts'
import { readOptions, refuse } from '../../../scripts/options.ts'

const { values, words } = readOptions({
  call: 'npm run busy-folder -- FOLDER',
  what: 'creates a data folder with work of every kind in progress.',
  options: { of: { takes: 'CHECKOUT', what: 'create it with another version' } },
  words: true,
})
const [folder] = words
if (folder === undefined) refuse('Specify the folder: npm run busy-folder -- FOLDER [--of CHECKOUT]')
mkdirSync(folder, { recursive: true, mode: 0o700 })
const story = await makeBusyFolder(resolve(folder), values.of === undefined ? {} : { root: resolve(values.of) })
process.stdout.write(`${folder}: ${story.people.length} contacts, created by version ${story.version}\n`)

/**
 * `npm run busy-folder -- FOLDER`: a data folder in the middle of everything, with the story of what is to come of it. See
 * test/bin/busy-folders.test.ts. `--of CHECKOUT` has it made by another version.
 */
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { makeBusyFolder } from './make.ts'
import { readOptions, refuse } from '../../../scripts/options.ts'

const { values, words } = readOptions({
  call: 'npm run busy-folder -- FOLDER',
  what: 'makes a data folder in the middle of everything.',
  options: { of: { takes: 'CHECKOUT', what: 'have it made by another version' } },
  words: true,
})
const [folder] = words
if (folder === undefined) refuse('Say where: npm run busy-folder -- FOLDER [--of CHECKOUT]')
mkdirSync(folder, { recursive: true, mode: 0o700 })
const story = await makeBusyFolder(resolve(folder), values.of === undefined ? {} : { root: resolve(values.of) })
process.stdout.write(`${folder}: ${story.people.length} contacts, made by version ${story.version}\n`)

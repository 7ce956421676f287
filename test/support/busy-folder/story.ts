import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The contacts in a folder, and their expected results. It is stored beside the data, so that a later version can be
 * tested with the data of an earlier one.
 */
export interface Story {
  /** The version of the product that created the folder. */
  version: string
  /** An API key of its workspace. */
  key: string
  /** Automations that are paused, and that the test resumes. */
  paused: string[]
  people: Person[]
}

/** One contact in one automation. */
export interface Person {
  /** A description of its state, for failure messages. It follows "who". */
  what: string
  email: string
  contactId: string
  automationId: string
  /** Subjects of the emails that the mail server received completely. They must not arrive again. */
  had: string[]
  /** Subjects of the emails that have to arrive: once, unless the mail server has them already. */
  due: string[]
  /** Number of its messages with an unknown outcome. */
  unconfirmed: number
  /** Its expected final state: completed; in a wait of years; or gone, because the contact or the automation was deleted. */
  end: 'completed' | 'waits' | 'gone'
}

const storyFile = (folder: string) => join(folder, 'story.json')

/** Returns the DATA_DIR of a folder. */
export const dataDirOf = (folder: string): string => join(folder, 'data')

export const writeStory = (folder: string, story: Story): void =>
  writeFileSync(storyFile(folder), `${JSON.stringify(story, null, 2)}\n`, { mode: 0o600 })

export const readStory = (folder: string): Story => JSON.parse(readFileSync(storyFile(folder), 'utf8')) as Story

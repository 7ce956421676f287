import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What has happened in a folder so far, and what is to come of it. It is kept beside the data, so that a later version can
 * be held to what an earlier one has promised.
 */
export interface Story {
  /** Of the product that made the folder. */
  version: string
  /** An API key of its workspace. */
  key: string
  /** Automations that are paused, and that are to be resumed. */
  paused: string[]
  people: Person[]
}

/** One contact, in one automation. */
export interface Person {
  /** What is going on with it, in words, for whoever reads of a failure. */
  what: string
  email: string
  contactId: string
  automationId: string
  /** Subjects of the emails that the mail server had the whole of. They must not come again. */
  had: string[]
  /** Subjects of those that have still to come: once, unless the mail server has them already. */
  due: string[]
  /** How many messages nobody knows of whether they were sent. */
  unconfirmed: number
  /**
   * Where it stands in the end: through the sequence; in a wait of years; or gone, because the contact or the automation
   * was deleted.
   */
  end: 'completed' | 'waits' | 'gone'
}

const storyFile = (folder: string) => join(folder, 'story.json')

/** The DATA_DIR that a story is of. */
export const dataDirOf = (folder: string): string => join(folder, 'data')

export const writeStory = (folder: string, story: Story): void =>
  writeFileSync(storyFile(folder), `${JSON.stringify(story, null, 2)}\n`, { mode: 0o600 })

export const readStory = (folder: string): Story => JSON.parse(readFileSync(storyFile(folder), 'utf8')) as Story

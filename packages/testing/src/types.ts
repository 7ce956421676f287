/** The content of a workspace: the files of `dripline pull`, as objects. References are names. */
export interface WorkspaceSource {
  /** The time zone of contacts without `metadata.timezone`. UTC by default. */
  timezone?: string
  lists?: readonly object[]
  segments?: readonly object[]
  templates?: readonly object[]
  automations?: readonly object[]
}

export interface WorkspaceOptions {
  /** When the virtual clock begins: ISO 8601 with an offset. By default 2027-03-01T09:00:00Z, a Monday. */
  startAt?: string
  /** The time zone of the workspace. By default that of the file, or UTC. */
  timezone?: string
  /** The response that each WEBHOOK step saves, by its `saveAs`. No webhook is called. */
  responses?: Readonly<Record<string, unknown>>
}

export interface ContactFields {
  email: string
  /** Decides which branch of a SPLIT the contact takes. By default derived from the address. */
  id?: string
  firstName?: string | null
  metadata?: Readonly<Record<string, unknown>>
  tags?: readonly string[]
  /** The names of lists. */
  lists?: readonly string[]
  /** ISO 8601. With it, the contact exists already: their creation, tags and lists start no automation. */
  createdAt?: string
  /** Whether the contact has unsubscribed from marketing. */
  unsubscribed?: boolean
}

export interface ContactChange {
  firstName?: string | null
  /** Sets these keys. `null` removes a key. */
  metadata?: Readonly<Record<string, unknown>>
  addTags?: readonly string[]
  removeTags?: readonly string[]
  /** The names of lists. */
  addToLists?: readonly string[]
  removeFromLists?: readonly string[]
}

export interface Contact {
  readonly id: string
  readonly email: string
}

/** A contact as they are now. */
export interface ContactState {
  email: string
  firstName: string | null
  metadata: Readonly<Record<string, unknown>>
  /** In lower case. */
  tags: string[]
  /** The names of lists. */
  lists: string[]
}

/** An email that was sent. */
export interface Email {
  /** ISO 8601. */
  at: string
  automation: string
  /** The name of the step. */
  step: string | null
  subject: string
  /** Without the footer that Dripline appends to marketing emails. The source, for an email from a template. */
  html: string | null
  text: string | null
}

export interface Enrollment {
  /** `REFUSED` if the contact did not enter. */
  status: 'ACTIVE' | 'COMPLETED' | 'EXITED' | 'GOAL_REACHED' | 'STOPPED' | 'CANCELLED' | 'REFUSED'
  /** The rule that kept the contact out. */
  refusedBy: 'FILTER' | 'REENTRY' | 'KEY' | null
  /** ISO 8601. */
  enteredAt: string
  /** ISO 8601. `null` while the enrollment is active. */
  endedAt: string | null
}

/** A workspace in memory, with a virtual clock. */
export interface Workspace {
  /** The time of the virtual clock. ISO 8601. */
  readonly now: string
  /** Creates a contact, which can start automations. */
  contact(fields: ContactFields): Contact
  /** Changes a contact, which can start automations. */
  update(contact: Contact, change: ContactChange): void
  /** Fires an event of a contact. It can start automations, end waits, and end enrollments. */
  event(contact: Contact, name: string, data?: Readonly<Record<string, unknown>>): void
  /** Enrolls a contact, whatever the trigger. `data` is that of the event which templates and conditions read. */
  enroll(contact: Contact, automation: string, data?: Readonly<Record<string, unknown>>): void
  /** Moves the clock: `30 minutes`, `12 hours`, `3 days`, `2 weeks`. */
  advance(duration: string): void
  /** Moves the clock to a time: ISO 8601 with an offset, or a date. */
  advanceTo(time: string): void
  /** Returns a contact as they are now. */
  read(contact: Contact): ContactState
  /** Returns the emails to a contact so far, in their order. */
  emails(contact: Contact): Email[]
  /** Returns the most recent enrollment of a contact in an automation. */
  enrollment(contact: Contact, automation: string): Enrollment
  /** Describes what happened to a contact in an automation so far, a line for each entry. */
  timeline(contact: Contact, automation: string): string
}

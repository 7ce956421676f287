/** A count of messages by their status. */
export type Counts = Record<string, number>

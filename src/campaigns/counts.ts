/** Number of messages by status. */
export type Counts = Record<string, number>

import type { Schemas } from '../../api/client.ts'

type Message = Schemas['Message']
type Enrollment = Schemas['Enrollment']

/** Something that happened to a contact. */
export type TimelineEntry =
  | { kind: 'message'; at: Date; message: Message }
  | { kind: 'entered'; at: Date; enrollment: Enrollment }
  | { kind: 'left'; at: Date; enrollment: Enrollment }

/** All of it, the last first. */
export function timelineOf(messages: readonly Message[], enrollments: readonly Enrollment[]): TimelineEntry[] {
  const happened: TimelineEntry[] = [
    ...messages.map((message) => ({ kind: 'message' as const, at: new Date(message.createdAt), message })),
    ...enrollments.map((enrollment) => ({ kind: 'entered' as const, at: new Date(enrollment.enrolledAt), enrollment })),
    ...enrollments.flatMap((enrollment) =>
      enrollment.endedAt === null ? [] : [{ kind: 'left' as const, at: new Date(enrollment.endedAt), enrollment }],
    ),
  ]
  // Of the same moment, entering is before what was sent by it.
  const rank = { left: 2, message: 1, entered: 0 }
  return happened.toSorted((a, b) => b.at.getTime() - a.at.getTime() || rank[b.kind] - rank[a.kind])
}

/** By the reader's days, in their order. */
export function byDay(happened: readonly TimelineEntry[]): [day: string, TimelineEntry[]][] {
  const days = Map.groupBy(happened, ({ at }) => at.toDateString())
  return [...days.values()].map((each) => [each[0]!.at.toISOString(), each])
}

import type { Schemas } from '../../api/client.ts'

type Message = Schemas['Message']
type Enrollment = Schemas['Enrollment']

export type TimelineEntry =
  | { kind: 'message'; at: Date; message: Message }
  | { kind: 'entered'; at: Date; enrollment: Enrollment }
  | { kind: 'left'; at: Date; enrollment: Enrollment }

/** Merges messages and enrollments, newest first. */
export function timelineOf(messages: readonly Message[], enrollments: readonly Enrollment[]): TimelineEntry[] {
  const happened: TimelineEntry[] = [
    ...messages.map((message) => ({ kind: 'message' as const, at: new Date(message.createdAt), message })),
    ...enrollments.map((enrollment) => ({ kind: 'entered' as const, at: new Date(enrollment.enrolledAt), enrollment })),
    ...enrollments.flatMap((enrollment) =>
      enrollment.endedAt === null ? [] : [{ kind: 'left' as const, at: new Date(enrollment.endedAt), enrollment }],
    ),
  ]
  // At the same time, entering comes before the message it caused.
  const rank = { left: 2, message: 1, entered: 0 }
  return happened.toSorted((a, b) => b.at.getTime() - a.at.getTime() || rank[b.kind] - rank[a.kind])
}

/** Groups entries by day in the user's time zone. */
export function byDay(happened: readonly TimelineEntry[]): [day: string, TimelineEntry[]][] {
  const days = Map.groupBy(happened, ({ at }) => at.toDateString())
  return [...days.values()].map((each) => [each[0]!.at.toISOString(), each])
}

import type { Schemas } from '../../api/client.ts'

type Message = Schemas['Message']
type Enrollment = Schemas['Enrollment']
type Decision = Schemas['Decision']
type StoredEvent = Schemas['StoredEvent']

export type TimelineEntry =
  | { kind: 'message'; at: Date; message: Message }
  | { kind: 'event'; at: Date; event: StoredEvent }
  | { kind: 'decision'; at: Date; decision: Decision }
  | { kind: 'entered'; at: Date; enrollment: Enrollment }
  | { kind: 'left'; at: Date; enrollment: Enrollment }

/** Merges messages, decisions, enrollments and events, newest first. Decisions about emails are left out, because the message shows the reason. */
export function timelineOf(
  messages: readonly Message[],
  decisions: readonly Decision[],
  enrollments: readonly Enrollment[],
  events: readonly StoredEvent[],
): TimelineEntry[] {
  // An END decision replaces the entry "left", because it has the reason.
  const ends = new Set(decisions.filter(({ kind }) => kind === 'END').map(({ enrollmentId }) => enrollmentId))
  const happened: TimelineEntry[] = [
    ...messages.map((message) => ({ kind: 'message' as const, at: new Date(message.createdAt), message })),
    ...events.map((event) => ({ kind: 'event' as const, at: new Date(event.firedAt), event })),
    ...decisions
      .filter(({ kind }) => kind !== 'EMAIL')
      .map((decision) => ({ kind: 'decision' as const, at: new Date(decision.at), decision })),
    ...enrollments.map((enrollment) => ({ kind: 'entered' as const, at: new Date(enrollment.enrolledAt), enrollment })),
    ...enrollments.flatMap((enrollment) =>
      enrollment.endedAt === null || ends.has(enrollment.id)
        ? []
        : [{ kind: 'left' as const, at: new Date(enrollment.endedAt), enrollment }],
    ),
  ]
  // At the same time, an event comes before what it caused, and so does entering.
  const rank = { left: 4, message: 3, decision: 2, entered: 1, event: 0 }
  return happened.toSorted((a, b) => b.at.getTime() - a.at.getTime() || rank[b.kind] - rank[a.kind])
}

/** Groups entries by day in the user's time zone. */
export function byDay(happened: readonly TimelineEntry[]): [day: string, TimelineEntry[]][] {
  const days = Map.groupBy(happened, ({ at }) => at.toDateString())
  return [...days.values()].map((each) => [each[0]!.at.toISOString(), each])
}

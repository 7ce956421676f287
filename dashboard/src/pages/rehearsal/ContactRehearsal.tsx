import { ActionIcon, Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconChevronLeft, IconChevronRight, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { type ReactNode, useMemo } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useSettings } from '../../api/queries.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { plural } from '../../lib/format.ts'
import { wallDay, wallMinute } from '../../lib/wall-time.ts'
import { Checklist } from '../../primitives/Checklist.tsx'
import { useEmailNames } from '../builder/use-email-names.ts'
import { indexTree } from '../builder/step-tree.ts'
import { AlreadyEnrolled } from './AlreadyEnrolled.tsx'
import { checksOf } from './checks.ts'
import { CurrentVersion } from './CurrentVersion.tsx'
import { type Item, itemsOf } from './items.ts'
import { Line } from './Line.tsx'
import { RehearsalError } from './RehearsalError.tsx'
import classes from './rehearsal.module.css'
import { contentOf, DAYS, supposedBodyOf, type Rehearsed, type Supposed } from './scenario.ts'
import { Setup } from './Setup.tsx'
import { type Player, usePlayer } from './use-player.ts'
import { WhatHappens } from './WhatHappens.tsx'
import { WhatIsRead } from './WhatIsRead.tsx'

type Contact = Schemas['Contact']

const PAUSE_MS = 400
const DAY_MS = 86_400_000

/** Rehearses the automation for one contact. */
export function ContactRehearsal({
  automationId,
  rehearsed,
  revision,
  contact,
  onContact,
  at,
  onAt,
  supposed,
  onSupposed,
  kind,
}: {
  automationId: string
  rehearsed: Rehearsed
  /** Changes when the automation is read again. */
  revision: number
  contact: Contact
  onContact: (contactId: string | undefined) => void
  /** When the contact enters; `undefined` for now. */
  at: string | undefined
  onAt: (at: string | undefined) => void
  supposed: Supposed
  onSupposed: (supposed: Supposed) => void
  /** Chooses between a contact and an audience. */
  kind: ReactNode
}) {
  const [applied] = useDebouncedValue(supposed, PAUSE_MS)
  const body = {
    ...contentOf(rehearsed),
    contactId: contact.id,
    days: DAYS,
    ...supposedBodyOf(applied, 'contact'),
    ...(at !== undefined && { startAt: at }),
  }
  const { data, error, dataUpdatedAt } = useWorkspaceQuery(
    ['rehearsal', automationId, contact.id, at, rehearsed.name, body.data, body.events, revision],
    async (api, signal) => {
      const began = performance.now()
      const params = { path: { id: automationId } }
      const { data: answer } = await api.POST('/automations/{id}/rehearse', { params, body, signal })
      // With a contact, it is the result, and not the beginning of a job.
      return { result: answer.data as Schemas['ContactRehearsal'], ms: Math.round(performance.now() - began) }
    },
    { once: true, keepPrevious: true },
  )
  return (
    <>
      <Setup
        kind={kind}
        contact={{ value: contact.id, label: contact.email }}
        onContact={onContact}
        at={at ?? data?.result.from}
        onAt={onAt}
        enrolledBy={rehearsed.enrolledBy}
        supposed={supposed}
        onSupposed={onSupposed}
      >
        {data && !error && <strong>A year in {data.ms} ms.</strong>} Nothing is sent, nothing is stored.
      </Setup>
      <AlreadyEnrolled automationId={automationId} contactId={contact.id} />
      {error && <RehearsalError error={error} automationId={automationId} rehearsed={rehearsed} />}
      {!data && !error && <SkeletonRows />}
      {data && !error && <Result key={dataUpdatedAt} result={data.result} rehearsed={rehearsed} contact={contact} />}
    </>
  )
}

/** The time zone of a contact: an attribute, or else that of the workspace. */
function useZoneOf({ metadata }: Contact): string | undefined {
  const { data: settings } = useSettings()
  const own = metadata['timezone']
  return settings && (typeof own === 'string' && isTimeZone(own) ? own : settings.timezone)
}

function isTimeZone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

function Result({
  result,
  rehearsed,
  contact,
}: {
  result: Schemas['ContactRehearsal']
  rehearsed: Rehearsed
  contact: Contact
}) {
  const zone = useZoneOf(contact)
  const tree = useMemo(() => indexTree(rehearsed.sequence.steps), [rehearsed])
  const currentTree = useMemo(() => indexTree(rehearsed.current.steps), [rehearsed])
  const { names } = useEmailNames(tree)
  const { names: currentNames } = useEmailNames(currentTree)
  if (zone === undefined) return <SkeletonRows />
  const { current } = result
  return (
    <Played
      items={itemsOf(result.timeline, { tree, names, zone, rendered: result.rendered })}
      current={current && itemsOf(current.timeline, { tree: currentTree, names: currentNames, zone, rendered: [] })}
      result={result}
      zone={zone}
      to={contact.email}
    />
  )
}

function Played({
  items,
  current,
  result,
  zone,
  to,
}: {
  items: readonly Item[]
  /** The same in the current version, if a draft is rehearsed. */
  current: readonly Item[] | undefined
  result: Schemas['ContactRehearsal']
  zone: string
  to: string
}) {
  const player = usePlayer(items)
  const checks = checksOf(items, result.rendered)
  return (
    <>
      <div className={classes.line}>
        <Line
          items={items}
          at={player.at}
          {...(current && { current, currentName: `Version ${result.current!.version}` })}
        />
        <PlayerBar items={items} player={player} />
      </div>
      <div className={classes.columns}>
        <div className={classes.column}>
          <WhatHappens items={items} zone={zone} at={player.at} onSelect={player.select} />
          {current && <CurrentVersion of={result.current!} items={current} />}
        </div>
        <WhatIsRead items={items} at={player.at} rendered={result.rendered} to={to} />
        <section aria-label="Checks" className={classes.checks}>
          <div className={classes.head}>
            <h2>Checks</h2>
          </div>
          {checks.length > 0 ? <Checklist isColumn checks={checks} /> : <p className="t2">No email would be sent.</p>}
        </section>
      </div>
    </>
  )
}

/** Plays the timeline, and leads to the next and previous message. */
function PlayerBar({ items, player }: { items: readonly Item[]; player: Player }) {
  const { at } = items[player.at]!
  const day = Math.floor((at.getTime() - items[0]!.at.getTime()) / DAY_MS)
  const messages = items.filter(({ isMessage }) => isMessage)
  const passed = items.slice(0, player.at + 1).filter(({ isMessage }) => isMessage).length
  return (
    <div className={classes.player}>
      <ActionIcon aria-label="Previous email" onClick={() => player.move(-1)}>
        <IconChevronLeft aria-hidden />
      </ActionIcon>
      <Button
        leftSection={
          player.isPlaying ? <IconPlayerPause size={14} aria-hidden /> : <IconPlayerPlay size={14} aria-hidden />
        }
        onClick={player.toggle}
      >
        {player.isPlaying ? 'Pause' : 'Play'}
      </Button>
      <ActionIcon aria-label="Next email" onClick={() => player.move(1)}>
        <IconChevronRight aria-hidden />
      </ActionIcon>
      <p className="small t2">
        <span className="strong phone">
          {wallDay(at)}, {wallMinute(at)}
        </span>
        <span>
          {passed} of {plural(messages.length, 'message')}, day {day}
        </span>
      </p>
    </div>
  )
}

import { type ComboboxItem, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { ContactSelect } from '../../components/ContactSelect.tsx'
import { zone } from '../../lib/format.ts'
import classes from './rehearsal.module.css'
import type { Supposed } from './scenario.ts'
import { SupposedEvents } from './SupposedEvents.tsx'

/** Formats a time as an input of the type `datetime-local` needs it. */
const localOf = (iso: string): string => {
  const date = new Date(iso)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** Chooses the contact, when they enter, and what they are supposed to do. */
export function Setup({
  kind,
  contact,
  onContact,
  at,
  onAt,
  enrolledBy,
  supposed,
  onSupposed,
  children,
}: {
  kind: ReactNode
  contact: ComboboxItem
  onContact: (contactId: string | undefined) => void
  /** When the contact enters. `undefined` until it is known. */
  at: string | undefined
  onAt: (at: string | undefined) => void
  enrolledBy: string | undefined
  supposed: Supposed
  onSupposed: (supposed: Supposed) => void
  children: ReactNode
}) {
  return (
    <div className={classes.setup}>
      {kind}
      <ContactSelect label="As" hidesLabel value={contact} onChange={(chosen) => onContact(chosen?.value)} />
      <TextInput
        type="datetime-local"
        aria-label="Enrolled"
        title={`Enrolled at this time in your time zone, ${zone}`}
        // Without it, a year takes six digits.
        max="9999-12-31T23:59"
        value={at === undefined ? '' : localOf(at)}
        onChange={({ currentTarget: { value } }) => onAt(value === '' ? undefined : new Date(value).toISOString())}
      />
      <SupposedEvents rehearsedFor="contact" enrolledBy={enrolledBy} supposed={supposed} onChange={onSupposed} />
      <p className={`t2 ${classes.said}`}>{children}</p>
    </div>
  )
}

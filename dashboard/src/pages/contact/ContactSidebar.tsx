import type { Schemas } from '../../api/client.ts'
import { useHasRole } from '../../api/workspace.tsx'
import { Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'
import { firstNameOf } from '../../lib/first-name.ts'
import { UpcomingSteps } from './UpcomingSteps.tsx'
import classes from './contact.module.css'

type Contact = Schemas['Contact']

/** The next steps of a contact, their attributes and the record. */
export function ContactSidebar({
  contact,
  enrollments,
  automations,
  onEdit,
}: {
  contact: Contact
  enrollments: readonly Schemas['Enrollment'][]
  automations: ReadonlyMap<string, Schemas['Automation']>
  onEdit: () => void
}) {
  const canEdit = useHasRole('editor')
  const attributeCount = Object.keys(contact.metadata).length
  return (
    <>
      <UpcomingSteps
        name={firstNameOf(contact) ?? 'this contact'}
        enrollments={enrollments}
        automations={automations}
      />
      <Section
        title="Attributes"
        meta={attributeCount}
        action={
          canEdit && (
            <button type="button" className="link textButton" aria-label="Edit contact" onClick={onEdit}>
              Edit
            </button>
          )
        }
      >
        <dl className={classes.data}>
          {Object.entries(contact.metadata).map(([key, value]) => (
            <DataRow key={key} name={key} value={typeof value === 'string' ? value : JSON.stringify(value)} />
          ))}
        </dl>
        {attributeCount === 0 && <p className="t2">No attributes yet.</p>}
      </Section>
      <Section title="Record">
        <dl className={classes.data}>
          <dt>Contact ID</dt>
          <dd className="mono">{contact.id}</dd>
          {contact.externalId !== null && (
            <>
              <dt>External ID</dt>
              <dd className="mono">{contact.externalId}</dd>
            </>
          )}
          <dt>Created</dt>
          <dd>
            <Time at={contact.createdAt} />
          </dd>
          <dt>Tags</dt>
          <dd>
            <Chips of={contact.tags} />
          </dd>
        </dl>
      </Section>
    </>
  )
}

const Chips = ({ of }: { of: readonly string[] }) =>
  of.length === 0 ? (
    <span className="t3">None</span>
  ) : (
    of.map((label) => (
      <span key={label} className={classes.chip}>
        {label}
      </span>
    ))
  )

const DataRow = ({ name, value }: { name: string; value: string }) => (
  <>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </>
)

import { canonicalLocale } from '../platform/locale.ts'
import { zoneOfContact } from '../platform/time-zone.ts'
import type { TemplateVariables } from '../rendering/index.ts'
import type { Groups, Recipient } from './recipients-queries.ts'

/** The fields of a contact that templates may use. */
export type TemplateContact = Pick<
  Recipient,
  'email' | 'firstName' | 'externalId' | 'metadata' | 'createdAt' | 'timezone'
> &
  Partial<Groups>

/** The variables of a template that are about the contact. */
export const contactVariables = (
  id: string,
  { email, firstName, externalId, metadata, createdAt, timezone, tags, lists }: TemplateContact,
): Pick<TemplateVariables, 'contact' | 'timezone' | 'locale'> => ({
  contact: {
    id,
    externalId,
    email,
    firstName,
    metadata,
    createdAt: createdAt.toISOString(),
    ...(tags && { tags }),
    ...(lists && { lists }),
  },
  timezone: zoneOfContact(metadata, timezone),
  locale: canonicalLocale(metadata['locale']),
})

import type { Contact } from '../../db/entities/contact.ts'

type Shown = Pick<Contact, 'id' | 'email' | 'firstName' | 'metadata' | 'createdAt' | 'updatedAt'>

/** A contact (specification, section 2.8). */
export const presentContact = ({ id, email, firstName, metadata, createdAt, updatedAt }: Shown) => ({
  id,
  email,
  firstName: firstName ?? null,
  metadata,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

/** Returns the first name of a contact; undefined without one. The API also stores blank names. */
export const firstNameOf = ({ firstName }: { firstName: string | null }): string | undefined =>
  firstName !== null && firstName.trim() !== '' ? firstName : undefined

/** Returns what a contact is called: the first name, or the address. */
export const contactName = (contact: { firstName: string | null; email: string }): string =>
  firstNameOf(contact) ?? contact.email

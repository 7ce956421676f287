/** What is told of a contact that is not in a list, or has not a tag. */
export const NOT_IN_LIST = 'Contact not found in list'
export const TAG_NOT_FOUND = 'Contact does not have this tag'

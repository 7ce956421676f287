/** Checks whether email clients can open the link. The API has the same rule. */
export const isLinkUrl = (url: string): boolean => /^(?:https?:\/\/|mailto:|tel:|\{\{|\{%)/i.test(url)

export const INVALID_LINK_MESSAGE = 'Enter a full link (https://, http://, mailto:, tel:) or a variable'

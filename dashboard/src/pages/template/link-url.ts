/** Whether mail programs lead to it; see `address` of the API. */
export const isLinkUrl = (url: string): boolean => /^(?:https?:\/\/|mailto:|tel:|\{\{|\{%)/i.test(url)

export const INVALID_LINK_MESSAGE = 'It begins with https://, http://, mailto:, tel: or Liquid'

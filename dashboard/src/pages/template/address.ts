/** Whether mail programs lead to it; see `address` of the API. */
export const isAddress = (url: string): boolean => /^(?:https?:\/\/|mailto:|tel:|\{\{|\{%)/i.test(url)

export const ADDRESS_WORDS = 'It begins with https://, http://, mailto:, tel: or Liquid'

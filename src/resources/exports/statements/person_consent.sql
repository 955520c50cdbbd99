-- The full consent history of the contact, with its proof.
(SELECT coalesce(json_agg(json_build_object('channel', k.channel, 'status', k.status, 'at', {at}, 'source', k.source,
                                            'ip', k.ip, 'userAgent', k.user_agent, 'wording', k.wording,
                                            'method', k.method, 'receivedAt', {received_at})
                          ORDER BY k.at DESC, k.channel, k.status), '[]')
   FROM consent k
  WHERE k.account_id = c.account_id AND k.contact_id = c.contact_id)

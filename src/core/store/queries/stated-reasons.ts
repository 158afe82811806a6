/**
 * Reasons in the words of common libraries that lie in software, its settings or its credentials, whatever the hardware does: OpenSSL, Go,
 * Java, Python, PostgreSQL, MySQL, Kubernetes quotas, cloud SDKs. What a failing device could also bring about (full pools, timeouts,
 * refused connections, requests above a rate) is none of them. DuckDB's regular expressions (RE2), without regard to case.
 */
const PATTERNS: Readonly<Record<string, string>> = {
  certificate:
    'x509: |certificate (?:has |is )?(?:expired|revoked|not yet valid|not trusted)|certificate.verify.failed|unable to get local issuer certificate|pkix path (?:building|validation) failed|unknown certificate authority',
  credentials:
    'password authentication failed|invalid (?:api.?key|access.?token|credentials|client.secret)|(?:token|credentials?) (?:has |have |is |are )?expired|expiredtoken|invalidclienttokenid|signaturedoesnotmatch|access denied for user',
  quota: 'exceeded (?:your |the )?(?:current )?quota|quota (?:has been )?exceeded|insufficient.quota|exceeded quota:',
  configuration:
    'invalid config|(?:failed|unable|error) (?:to )?(?:parse|parsing|load|loading|read|reading) (?:the )?config|unknown (?:config|configuration) |missing required (?:env|environment|config|setting|option)',
  code: 'modulenotfounderror|importerror:|nosuchmethoderror|classnotfoundexception|noclassdeffounderror|undefined symbol:|(?:column|relation|table) "?[a-z0-9_.]+"? does not exist|no such (?:column|table):|unknown column ',
};

/** Characters of a line that are looked at: a stack trace below them states where, not why. */
const MOST_CHARACTERS = 600;

/** The reason of this kind that the text of a log line states, as SQL; '' where it states none. */
export function reasonIn(body: string): string {
  const cases = Object.entries(PATTERNS).map(
    ([reason, pattern]) => `when regexp_matches(left(${body}, ${MOST_CHARACTERS}), '${pattern}', 'i') then '${reason}'`,
  );
  return `case ${cases.join(' ')} else '' end`;
}

import { useState } from 'preact/hooks';
import { isMapLoading } from '../map/shown-map.js';
import { printPage } from '../page/print-head.js';
import { copyText } from './copy-text.js';

interface CopyButtonsProps {
  body: Readonly<Record<string, unknown>>;
  /** Whether the figures shown are still those of an earlier request. */
  isLoading: boolean;
}

/** Copies the request that the panel shows, for programs, and prints its answer. The key is not in it. */
export function CopyButtons({ body, isLoading }: CopyButtonsProps) {
  const [copied, setCopied] = useState('');
  const copy = async (name: string, text: string) =>
    setCopied((await copyText(text)) ? `Copied: ${name}.` : 'The browser did not allow copying.');
  const url = `${location.origin}/v1/predict/compare`;
  return (
    <section class="copy no-print">
      <h3>Copy or print</h3>
      <button type="button" disabled={isLoading} onClick={() => copy('link', location.href)}>
        Copy link
      </button>
      <button type="button" disabled={isLoading} onClick={() => copy('curl', curlText(url, body))}>
        Copy as curl
      </button>
      <button type="button" disabled={isLoading} onClick={() => copy('Python', pythonText(url, body))}>
        Copy as Python
      </button>
      <button type="button" disabled={isLoading || isMapLoading.value} onClick={printPage}>
        Print
      </button>
      <span role="status">{copied}</span>
    </section>
  );
}

function curlText(url: string, body: unknown): string {
  const json = JSON.stringify(body).replaceAll("'", "'\\''");
  return `curl -s ${url} -H "X-API-Key: $NURSELOG_API_KEY" -H 'Content-Type: application/json' -d '${json}'`;
}

function pythonText(url: string, body: unknown): string {
  return `import json, os, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    data=json.dumps(json.loads(${JSON.stringify(JSON.stringify(body))})).encode(),
    headers={"X-API-Key": os.environ["NURSELOG_API_KEY"], "Content-Type": "application/json"},
)
print(json.load(urllib.request.urlopen(request)))
`;
}

import openapiTypes, { astToString, COMMENT_HEADER, type OpenAPI3 } from 'openapi-typescript';
import { expect, test } from 'vitest';
import { sharedService } from '../../../test/support/service.js';

test('src/openapi.ts equals what openapi-typescript generates from /openapi.json', async () => {
  const service = await sharedService();
  const document = (await (await service.get('/openapi.json')).json()) as OpenAPI3;
  // A service may serve other species than when the client was compiled.
  delete document.components!.schemas!.SpeciesCode.enum;
  // A field with a default may be absent from a request.
  const types = await openapiTypes(document, { defaultNonNullable: false });
  await expect(COMMENT_HEADER + astToString(types)).toMatchFileSnapshot('../src/openapi.ts');
});

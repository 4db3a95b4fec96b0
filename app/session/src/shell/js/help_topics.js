// What `help` says of each class: its title, then a method and its purpose a line.
(() => {
  "use strict";

  const { addHelp } = __shell;

  addHelp(
    "Shell",
    `Shell Help:
    use|use NAME: work with another database
    show|show dbs, show databases: the databases with their sizes
    |show collections, show tables: the collections of the database
    |show users, show roles: who may use the database
    |show profile: the five latest operations that took a millisecond or more
    |show logs, show log NAME: the names of the logs, or one of them
    it|the next documents of the cursor displayed last
    help|this help; db.help(), db.NAME.help() and CURSOR.help() show the methods
    cls|clear the screen
    exit|leave; quit does the same
    print|print values
    printjson|print values with each field on its own line
    sleep|wait for some milliseconds
    config|config.get, config.set, config.reset: displayBatchSize and maxTimeMS
    version|the version of mongosh that the console follows`,
  );

  addHelp(
    "Database",
    `Database Class:
    adminCommand|run a command on the admin database
    aggregate|run a pipeline that needs no collection
    createCollection|create a collection
    createView|create a view
    currentOp|the operations that run now
    dropDatabase|drop the database with its collections
    fsyncLock|block writes
    fsyncUnlock|allow writes again
    getCollection|a collection, whatever its name
    getCollectionInfos|the collections with their options
    getCollectionNames|the names of the collections
    getLogComponents|the verbosity of each part of the log
    getMongo|the connection
    getName|the name of the database
    getProfilingStatus|what the profiler records
    getRole|one role
    getRoles|the roles
    getSiblingDB|another database, without using it
    getUser|one user
    getUsers|the users
    hello|what the server is and accepts
    hostInfo|the computer of the server
    isMaster|the old spelling of hello
    killOp|stop an operation by its number
    listCommands|the commands of the server
    printCollectionStats|the sizes of every collection
    runCommand|run a command on the database
    serverBits|the word size of the server
    serverBuildInfo|how the server was built
    serverCmdLineOpts|how the server was started
    serverStatus|the counters of the server
    setLogLevel|set the verbosity of the log
    setProfilingLevel|choose what the profiler records
    stats|the sizes of the database
    version|the version of the server
    watch|follow the changes of the database`,
  );

  addHelp(
    "Collection",
    `Collection Class:
    aggregate|run a pipeline
    bulkWrite|run several writes in one call
    convertToCapped|make the collection capped
    count|count documents (deprecated)
    countDocuments|count the documents that a filter selects
    createIndex|create an index
    createIndexes|create several indexes with the same options
    dataSize|bytes of the documents
    deleteMany|delete all documents that a filter selects
    deleteOne|delete the first document that a filter selects
    distinct|the distinct values of a field
    drop|drop the collection
    dropIndex|drop an index by name or key
    dropIndexes|drop all indexes but the one on _id
    estimatedDocumentCount|count all documents, from the collection's counter
    exists|what listCollections says of the collection, or null
    explain|explain the next call instead of running it
    find|the documents that a filter selects
    findAndModify|change or delete one document and return it
    findOne|the first document that a filter selects
    findOneAndDelete|delete one document and return it
    findOneAndReplace|replace one document and return it
    findOneAndUpdate|update one document and return it
    getFullName|database and name
    getIndexes|the indexes
    getIndexKeys|the keys of the indexes
    getName|the name
    getPlanCache|the plan cache
    hideIndex|keep an index, but don't use it in plans
    initializeOrderedBulkOp|collect writes that run one after the other
    initializeUnorderedBulkOp|collect writes that run in any order
    insert|insert documents (deprecated)
    insertMany|insert several documents
    insertOne|insert a document
    isCapped|whether the collection is capped
    latencyStats|how long operations took
    reIndex|build all indexes again
    remove|delete documents (deprecated)
    renameCollection|rename the collection
    replaceOne|replace the first document that a filter selects
    runCommand|run a command on the collection
    save|insert or replace a document (deprecated)
    stats|the sizes of the collection
    storageSize|bytes that the documents take on disk
    totalIndexSize|bytes of the indexes
    totalSize|bytes of documents and indexes
    unhideIndex|use a hidden index in plans again
    update|update documents (deprecated)
    updateMany|update all documents that a filter selects
    updateOne|update the first document that a filter selects
    validate|check the collection and its indexes
    watch|follow the changes of the collection`,
  );

  const READ = `close|close the cursor on the server
    explain|how the server finds the documents
    forEach|call a function with each document
    hasNext|whether there is another document
    isClosed|whether nothing is left to read
    isExhausted|whether nothing is left to read
    itcount|read all documents and count them
    map|change each document by a function
    next|the next document, or null
    objsLeftInBatch|documents received and not read yet
    pretty|nothing: documents always print in this form
    toArray|all documents in an array
    tryNext|the next document if it has arrived, or null`;

  addHelp(
    "Cursor",
    `Collection Cursor:
    addOption|set a flag of DBQuery.Option
    allowDiskUse|let a sort use the disk
    allowPartialResults|accept the results of some shards
    batchSize|documents of one reply
    collation|how strings compare
    comment|a comment for the profiler and the log
    count|count the documents
    hint|the index to use
    limit|at most so many documents
    max|the exclusive upper bound of an index
    maxAwaitTimeMS|how long a tailing read waits
    maxTimeMS|how long the server may work
    min|the inclusive lower bound of an index
    noCursorTimeout|keep the cursor open when idle
    projection|the fields to return
    readConcern|the level of read isolation
    returnKey|the index keys instead of the documents
    showRecordId|add the record number as $recordId
    size|count the documents within skip and limit
    skip|leave out the first documents
    sort|the order of the documents
    tailable|keep reading at the end of a capped collection
    ${READ}`,
  );
  addHelp("ExplainableCursor", "Explainable Cursor:\nexplain|how the server finds the documents");
  addHelp(
    "AggregationCursor",
    `Aggregation Cursor:
    batchSize|documents of one reply
    projection|add a $project stage
    skip|add a $skip stage
    sort|add a $sort stage
    ${READ}`,
  );

  addHelp(
    "Explainable",
    `Explainable Class:
    aggregate|explain a pipeline
    count|explain a count
    distinct|explain a distinct
    find|explain a find
    findAndModify|explain a findAndModify
    findOneAndDelete|explain a findOneAndDelete
    findOneAndReplace|explain a findOneAndReplace
    findOneAndUpdate|explain a findOneAndUpdate
    getCollection|the collection
    getVerbosity|how much is explained
    remove|explain a delete
    setVerbosity|choose queryPlanner, executionStats or allPlansExecution
    update|explain an update`,
  );

  addHelp(
    "Bulk",
    `Bulk Class:
    execute|send the collected operations
    find|choose documents for update, updateOne, replaceOne, delete, deleteOne
    getOperations|the batches sent by execute
    insert|collect an insert
    toJSON|how many operations there are
    toString|the same as a text`,
  );

  addHelp(
    "Mongo",
    `Mongo Class:
    bulkWrite|run writes on several collections in one call
    getCollection|a collection by database and name
    getDB|a database
    getDBNames|the names of the databases
    getDBs|the databases with their sizes
    getReadPrefMode|always primary
    getURI|the address of the store`,
  );
})();
